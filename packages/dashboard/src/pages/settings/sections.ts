import type { SettingsSection } from '@sluice/contract/dashboard-pages';
import type { ComponentType } from 'react';
import { AlertsSection } from './alerts-section.tsx';
import { AuditSection } from './audit-section.tsx';
import { ConfigurationSection } from './configuration-section.tsx';
import { HealthSection } from './health-section.tsx';
import { KeysSection } from './keys-section.tsx';
import { MembersSection } from './members-section.tsx';
import { OrganisationsSection } from './organisations-section.tsx';
import { RetentionSection } from './retention-section.tsx';
import { sectionLabels } from './section-labels.ts';

interface Section {
  readonly show: ComponentType;
  /** A long list that scrolls by itself. */
  readonly fills?: boolean;
}

/** The parts of the settings, each with an address of its own. */
const bySection: Readonly<Record<SettingsSection, Section>> = {
  keys: { show: KeysSection },
  members: { show: MembersSection },
  organisations: { show: OrganisationsSection },
  retention: { show: RetentionSection },
  alerts: { show: AlertsSection },
  configuration: { show: ConfigurationSection },
  audit: { show: AuditSection, fills: true },
  health: { show: HealthSection },
};

export const sections = Object.entries(bySection).map(([name, section]) => ({
  name,
  label: sectionLabels[name as SettingsSection],
  ...section,
}));
