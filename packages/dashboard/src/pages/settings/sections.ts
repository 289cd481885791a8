import type { SettingsSection } from '@sluice/contract/dashboard-pages';
import type { ComponentType } from 'react';
import { AppearanceSection } from './appearance-section.tsx';
import { AuditSection } from './audit-section.tsx';
import { HealthSection } from './health-section.tsx';
import { KeysSection } from './keys-section.tsx';
import { MembersSection } from './members-section.tsx';
import { OrganisationsSection } from './organisations-section.tsx';
import { RetentionSection } from './retention-section.tsx';

interface Section {
  readonly label: string;
  readonly show: ComponentType;
  /** A long list that scrolls by itself. */
  readonly fills?: boolean;
}

/** The parts of the settings, each with an address of its own. */
const bySection: Readonly<Record<SettingsSection, Section>> = {
  keys: { label: 'API keys', show: KeysSection },
  members: { label: 'Members', show: MembersSection },
  organisations: { label: 'Organisations', show: OrganisationsSection },
  retention: { label: 'Retention', show: RetentionSection },
  audit: { label: 'Audit log', show: AuditSection, fills: true },
  health: { label: 'Health', show: HealthSection },
  appearance: { label: 'Appearance', show: AppearanceSection },
};

export const sections = Object.entries(bySection).map(([name, section]) => ({ name, ...section }));
