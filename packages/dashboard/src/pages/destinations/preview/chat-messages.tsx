import type {
  DiscordEmbed,
  DiscordMessage,
  SlackBlock,
  SlackMessage,
  SlackText,
  TelegramMessage,
} from '@sluice/contract/dashboard-test-events';
import { IconRipple } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { MarkedText } from './marked-text.tsx';
import { readDiscord, readSlack, readTelegram } from './marks.ts';
import classes from './preview.module.css';

/** Messages as Slack, Discord and Telegram draw them. */

/** Who it is from, as a chat shows that beside the message. */
const FromApp = ({ children }: { children: ReactNode }) => (
  <div className={classes.fromApp}>
    <span className={classes.avatar}>
      <IconRipple size={22} aria-hidden />
    </span>
    <div className={classes.said}>
      <div className={classes.sender}>
        <strong>Sluice</strong> <span className={classes.app}>APP</span>
      </div>
      {children}
    </div>
  </div>
);

export const SlackPreview = ({ message }: { message: SlackMessage }) => (
  <div className={classes.slack}>
    <FromApp>
      {message.blocks === undefined ? (
        <p className={classes.text}>
          <MarkedText text={readSlack(message.text, false)} />
        </p>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are their places in a message that is drawn whole
        message.blocks.map((block, index) => <Block key={index} block={block} />)
      )}
    </FromApp>
  </div>
);

/** Blocks are sent as verbatim, so that nothing in them becomes a link or a mention by itself. */
const Marks = ({ text: { type, text } }: { text: SlackText }) =>
  type === 'plain_text' ? text : <MarkedText text={readSlack(text, true)} />;

function Block({ block }: { block: SlackBlock }) {
  switch (block.type) {
    case 'header':
      return (
        <p className={classes.header}>
          <Marks text={block.text} />
        </p>
      );
    case 'section':
      return (
        <div className={classes.section}>
          {block.text && (
            <p className={classes.text}>
              <Marks text={block.text} />
            </p>
          )}
          {block.fields && (
            <div className={classes.fields}>
              {block.fields.map((field, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <p key={index} className={classes.text}>
                  <Marks text={field} />
                </p>
              ))}
            </div>
          )}
        </div>
      );
    case 'context':
      return (
        <p className={classes.context}>
          {block.elements.map((element, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <Marks key={index} text={element} />
          ))}
        </p>
      );
  }
}

export const DiscordPreview = ({ message }: { message: DiscordMessage }) => (
  <div className={classes.discord}>
    <FromApp>
      {message.content !== undefined && (
        <p className={classes.text}>
          <MarkedText text={readDiscord(message.content)} />
        </p>
      )}
      {message.embeds?.map(embed => (
        <Embed key={embed.title} embed={embed} />
      ))}
    </FromApp>
  </div>
);

const Embed = ({ embed }: { embed: DiscordEmbed }) => (
  <div className={classes.embed} style={{ borderColor: `#${embed.color.toString(16).padStart(6, '0')}` }}>
    <p className={classes.embedTitle}>
      <MarkedText text={readDiscord(embed.title)} />
    </p>
    <div className={classes.embedFields}>
      {embed.fields.map(({ name, value, inline }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} data-wide={!inline || undefined}>
          <p className={classes.fieldName}>
            <MarkedText text={readDiscord(name)} />
          </p>
          <p className={classes.text}>
            <MarkedText text={readDiscord(value)} />
          </p>
        </div>
      ))}
    </div>
    <p className={classes.context}>{embed.footer.text}</p>
  </div>
);

export const TelegramPreview = ({ message }: { message: TelegramMessage }) => (
  <div className={classes.telegram}>
    <p className={classes.bubble}>
      <MarkedText text={readTelegram(message.text, message.parse_mode === 'HTML')} />
    </p>
  </div>
);
