import type { ComponentType } from 'react';
import { AppearanceSection } from './appearance-section.tsx';
import { AuditSection } from './audit-section.tsx';
import { HealthSection } from './health-section.tsx';
import { KeysSection } from './keys-section.tsx';
import { MembersSection } from './members-section.tsx';
import { OrganisationsSection } from './organisations-section.tsx';
import { RetentionSection } from './retention-section.tsx';

export interface Section {
  readonly name: string;
  readonly label: string;
  readonly show: ComponentType;
  /** A long list that scrolls by itself. */
  readonly fills?: boolean;
}

/** The parts of the settings, each with an address of its own. */
export const sections: readonly Section[] = [
  { name: 'keys', label: 'API keys', show: KeysSection },
  { name: 'members', label: 'Members', show: MembersSection },
  { name: 'organisations', label: 'Organisations', show: OrganisationsSection },
  { name: 'retention', label: 'Retention', show: RetentionSection },
  { name: 'audit', label: 'Audit log', show: AuditSection, fills: true },
  { name: 'health', label: 'Health', show: HealthSection },
  { name: 'appearance', label: 'Appearance', show: AppearanceSection },
];
