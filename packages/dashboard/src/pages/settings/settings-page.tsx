import { NavLink } from '@mantine/core';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { Page } from '../../components/page.tsx';
import { NotFound } from '../../components/page-states.tsx';
import { sections } from './sections.ts';
import classes from './settings.module.css';

/** The settings, one section at a time. */
export default function SettingsPage() {
  const { section: name } = useParams({ strict: false });
  if (name === undefined) return <Navigate to="/settings/keys" replace />;
  // Where it was once, in the settings of the organisation.
  if (name === 'appearance') return <Navigate to="/account" replace />;
  const section = sections.find(one => one.name === name);
  if (!section) return <NotFound />;
  const { show: Section, fills = false } = section;

  return (
    <Page title="Settings" fill={fills}>
      <div className={classes.layout}>
        <nav className={classes.nav} aria-label="Settings">
          {sections.map(({ name: other, label }) => (
            <NavLink
              key={other}
              component={Link}
              to={`/settings/${other}`}
              label={label}
              active={other === name}
              aria-current={other === name ? 'page' : undefined}
              className={classes.link ?? ''}
            />
          ))}
        </nav>
        <div className={fills ? classes.fill : undefined}>
          <Section />
        </div>
      </div>
    </Page>
  );
}
