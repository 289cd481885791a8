import type { SettingsSection } from '@sluice/contract/dashboard-pages';

/** What the parts of the settings are called. */
export const sectionLabels: Readonly<Record<SettingsSection, string>> = {
  keys: 'API keys',
  members: 'Members',
  organisations: 'Organisations',
  retention: 'Retention',
  alerts: 'Alerts',
  configuration: 'Configuration',
  audit: 'Audit log',
  health: 'Health',
};
