import { useIntersection } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';

/** What is inside is drawn, and loaded, when somebody comes near it; from then on it stays. */
export function WhenSeen({ className, children }: { className: string; children: ReactNode }) {
  const { ref, entry } = useIntersection({ rootMargin: '200px' });
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (entry?.isIntersecting) setSeen(true);
  }, [entry?.isIntersecting]);
  return (
    <div ref={ref} className={className}>
      {isSeen && children}
    </div>
  );
}
