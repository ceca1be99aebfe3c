import type { Page } from '@playwright/test'

/** The texts that the window shows at one time. */
export interface Shown {
  /** Epoch milliseconds, on the clock of this machine, which the simulator shares. */
  readonly atMs: number
  readonly headline: {
    readonly word: string
    readonly severity: string
    readonly text: string
    readonly detail: string
  }
  /** Title of the tab: `Positions running out · Headroom`. */
  readonly title: string
  /** Further findings besides the headline: label, and subject with its countdown. */
  readonly chips: readonly { readonly label: string; readonly text: string }[]
  /** `3 streams · 47 checks/min, 4.4 % of quotas, cap 5 %`. */
  readonly ownUse: string
  readonly rows: readonly ShownRow[]
  readonly slots: readonly ShownSlots[]
  /** Health of the key, by part: `streams` → `1 silent`. */
  readonly aspects: Readonly<Record<string, string>>
  /** `3 open`; empty where none is. */
  readonly ownStreams: string
  readonly events: readonly ShownEvent[]
  /** What is left of the access token: `14 min 32 s`. */
  readonly accessToken: string
}

/** What the page Glance says of the key, as its texts. */
export interface ShownGlance {
  readonly word: string
  readonly severity: string
  readonly subject: string
  readonly lines: readonly string[]
  /** `empty in` and `3:30`, `left` and `17 %`; both empty where there is no number. */
  readonly caption: string
  readonly number: string
  readonly cards: readonly { readonly label: string; readonly subject: string; readonly note: string }[]
  /** `Streams` → `1 silent`, `Token` → `14 min 32 s`. */
  readonly facts: Readonly<Record<string, string>>
  /** The lines of all keys, if there are several. */
  readonly keys: readonly ShownKey[]
}

/** A key in the table of all keys. */
export interface ShownKey {
  readonly name: string
  readonly severity: string
  readonly state: string
  readonly tightest: string
  readonly left: string
}

/** An open alert. If several are grouped as one, the title of each. */
export interface ShownAlert {
  readonly titles: readonly string[]
  readonly body: string
}

export interface ShownRow {
  readonly category: string
  /** `ok`, `running out`; with its countdown: `running out 3 min 30 s`. */
  readonly state: string
  /** `38`, `60–95`, `~38`, `–`. */
  readonly left: string
  readonly limit: number
  /** `0.4`, `0`, `?`. */
  readonly own: string
  /** `1 per 1.9 s`, `none`, `?`. */
  readonly safe: string
  /** When it is checked next: `12 s`, `now`; empty where that is not said. */
  readonly nextCheck: string
  /** `1.2–1.3`, `0`, `?`. */
  readonly others: string
  /** `14:35:16`, `full`, `?`. */
  readonly fullAt: string
  /** `12 s`, `4 min ago`, `documented`. */
  readonly age: string
}

export interface ShownSlots {
  readonly category: string
  readonly source: string
  readonly used: number
  readonly limit: number
  /** `37 free`, `full`. */
  readonly free: string
}

export interface ShownEvent {
  /** Position of its line in the log. Events that share a line have the same position. */
  readonly line: number
  readonly atMs: number
  readonly kind: string
  readonly text: string
  readonly isOpen: boolean
}

/**
 * Reads the window in one task of the page, so that all texts are from the same time. Folded rows are not
 * read.
 */
export function readShown(page: Page): Promise<Shown> {
  return page.evaluate(() => {
    const textOf = (root: ParentNode, selector: string) =>
      (root.querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim()
    const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)]
    const cell = (row: HTMLElement, index: number) => (row.children[index]?.textContent ?? '').trim()
    return {
      atMs: Date.now(),
      headline: {
        word: document.querySelector<HTMLElement>('[data-verdict]')?.dataset['label'] ?? '',
        severity: document.querySelector<HTMLElement>('[data-verdict]')?.dataset['severity'] ?? '',
        text: textOf(document, '[data-testid="verdict-headline"]'),
        detail: textOf(document, '[data-testid="verdict-detail"]'),
      },
      title: document.title,
      chips: all('[data-verdict] button[data-severity]').map((chip) => ({
        label: textOf(chip, 'b'),
        text: textOf(chip, 'b + span'),
      })),
      ownUse: textOf(document, '[data-testid="own-use"]'),
      rows: all('tr[data-category]').map((row) => ({
        category: row.dataset['category'] ?? '',
        // The mark next to the word is left out, because its name is not visible text.
        state: [...row.querySelectorAll('[data-testid="state"] b, [data-testid="state"] b ~ span')]
          .map((part) => part.textContent)
          .join(' ')
          .trim(),
        left: textOf(row, '[data-testid="remaining"]'),
        limit: Number(cell(row, 3).split('/')[1]),
        own: cell(row, 5),
        others: cell(row, 6),
        safe: textOf(row, '[data-testid="allowance"]').replace(/^\d+ now, (then|or) /, ''),
        nextCheck: textOf(row, '[data-testid="next-check"]'),
        fullAt: cell(row, 8),
        age: textOf(row, '[data-testid="age"]'),
      })),
      slots: all('[data-slots]').map((group) => {
        const [used, limit] = textOf(group, '[data-testid="used"]').split('/').map(Number)
        return {
          category: group.dataset['slots'] ?? '',
          source: group.dataset['source'] ?? '',
          used: used ?? Number.NaN,
          limit: limit ?? Number.NaN,
          free: textOf(group, '[data-testid="free"]'),
        }
      }),
      aspects: Object.fromEntries(
        all('[data-aspect]').map((aspect) => [aspect.dataset['aspect'] ?? '', textOf(aspect, 'b')]),
      ),
      ownStreams: textOf(document, '#streams-title + span'),
      // Events at several times may share one line that unfolds.
      events: all('[data-event]').flatMap((event, line) => {
        const parts = [...event.querySelectorAll<HTMLElement>('[data-part]')]
        return (parts.length === 0 ? [event] : parts).map((one) => ({
          line,
          atMs: Date.parse(one.querySelector('time')?.dateTime ?? ''),
          kind: event.dataset['event'] ?? '',
          isOpen: event.dataset['open'] === 'true',
          text: textOf(one, 'summary') || textOf(one, ':scope > div') || textOf(one, ':scope > span'),
        }))
      }),
      accessToken: textOf(document, '[data-token="access"] strong'),
    }
  })
}

/** Reads the page Glance in one task. */
export function readGlance(page: Page): Promise<ShownGlance> {
  return page.evaluate(() => {
    const clean = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
    const textOf = (root: ParentNode, selector: string) => clean(root.querySelector(selector)?.textContent)
    const root = document.querySelector('[data-testid="glance"]') ?? document
    const word = root.querySelector('[data-testid="glance-word"]')
    const number = root.querySelector('[data-testid="glance-number"]')
    const [subject = '', ...lines] = [...(word?.parentElement?.querySelectorAll('p') ?? [])].map((line) =>
      clean(line.textContent),
    )
    return {
      severity: document.querySelector<HTMLElement>('[aria-label="Glance"]')?.dataset['severity'] ?? '',
      ...{ word: clean(word?.textContent), subject, lines, number: clean(number?.textContent) },
      caption: clean(number?.previousElementSibling?.textContent),
      cards: [...root.querySelectorAll('[aria-label="Also"] > li')].map((card) => ({
        label: textOf(card, 'span'),
        subject: clean(card.querySelector('span + span')?.firstChild?.textContent),
        note: textOf(card, 'b'),
      })),
      facts: Object.fromEntries(
        [...root.querySelectorAll('[aria-label="Slots, streams and tokens"] > li')].map((fact) => {
          const said = textOf(fact, 'b')
          return [clean(fact.textContent).slice(0, -said.length).trim(), said]
        }),
      ),
      keys: [...root.querySelectorAll<HTMLElement>('[data-key]')].map((key) => ({
        name: textOf(key, 'th b'),
        severity: key.dataset['severity'] ?? '',
        state: textOf(key, 'td b'),
        tightest: clean(key.children[2]?.textContent),
        left: clean(key.children[3]?.textContent),
      })),
    }
  })
}

/** Reads the dialog of open alerts in one task. */
export function readAlerts(page: Page): Promise<readonly ShownAlert[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[data-alert]')].map((alert) => {
      const clean = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
      const details = alert.querySelector('details')
      const names = details === null ? undefined : clean(details.lastChild?.textContent).split(' · ')
      return {
        titles: names ?? [clean(alert.querySelector('b')?.textContent)],
        body: clean(alert.querySelector('p')?.textContent),
      }
    }),
  )
}
