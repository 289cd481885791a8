import { useIntersection } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';

/** What is inside is loaded and drawn when somebody comes to it and nothing more urgent is to do. Then it stays. */
export function WhenVisible({ className, children }: { className: string; children: ReactNode }) {
  const { ref, entry } = useIntersection({ rootMargin: '120px' });
  const [isSeen, setSeen] = useState(false);
  const isNear = entry?.isIntersecting === true;
  useEffect(() => {
    if (!isNear) return;
    // Not every browser tells when it has nothing to do.
    if (!('requestIdleCallback' in globalThis)) return setSeen(true);
    const asked = requestIdleCallback(() => setSeen(true), { timeout: 1_000 });
    return () => cancelIdleCallback(asked);
  }, [isNear]);
  return (
    <div ref={ref} className={className}>
      {isSeen && children}
    </div>
  );
}
