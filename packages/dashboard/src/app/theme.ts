import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The theme: colours, fonts and the defaults of components. */

/** Deep water: calm enough to stand behind everything, with the contrast that text needs. */
const water: MantineColorsTuple = [
  '#e9fbf8',
  '#d2f4ee',
  '#a3e8dc',
  '#6fdaca',
  '#45cdb9',
  '#26b3a0',
  '#149484',
  '#0f766e',
  '#0d5f59',
  '#0a4a46',
];

/** Mantine's greys in the dark are warm; these go with the water. Light text first, the ground last. */
const dark: MantineColorsTuple = [
  '#d3dce2',
  '#b6c3cc',
  '#93a4b0',
  '#5b6c78',
  '#33414a',
  '#273138',
  '#1b2429',
  '#161d21',
  '#10161a',
  '#0c1114',
];

export const theme = createTheme({
  primaryColor: 'water',
  primaryShade: { light: 7, dark: 7 },
  colors: { water, dark },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  defaultRadius: 'md',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The icon and the ground have the colour; a title in it would be hard to read.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    Anchor: { defaultProps: { underline: 'always' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm' } },
    // Without it the first entry has the focus, as in any menu; and a menu holds nothing but its entries.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Else it counts as a second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        closeButtonProps: { 'aria-label': 'Close' },
        // One that slides in can carry its buttons away from under a quick click.
        transitionProps: { transition: 'fade', duration: 200 },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
  },
});
