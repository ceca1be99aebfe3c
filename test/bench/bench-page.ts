import { type Origin, originWords } from '../proof/commit.ts'
import { BENCH_NAMES, BENCHES, type BenchName } from './benches.ts'
import type { Entries, Entry, Measured } from './entry.ts'

/** Above this load, other programs used the processor too, and the page mentions that. */
const BUSY_LOAD = 0.7

/**
 * Headroom's numbers next to those of the alternatives, all from one commit. A bench whose result is from
 * another commit counts as not run.
 */
export function benchPage(all: Entries, now: Origin): string {
  const commit = [...all.values()].toSorted((a, b) => a.date.localeCompare(b.date)).at(-1)?.commit
  const entries = new Map([...all].filter(([, entry]) => entry.commit === commit))
  const machines = [...new Set([...entries.values()].map(({ machine }) => machine))]
  return [
    '# Bench',
    '',
    'What Headroom costs and how well it performs, compared with alternatives if there are any. Written by `npm run bench`; nothing here is typed by hand. Each bench runs in a separate process, and everything compared gets the same input in the same run. “Times better” is against the best of the alternatives. An aim that was missed says so.',
    '',
    ...machines.map((machine) => `- machine: ${machine}`),
    `- run: ${originWords([...entries.values()].at(-1) ?? now)}`,
    '',
    '| | Headroom | best alternative | times better | aims |',
    '|---|---|---|---|---|',
    ...BENCH_NAMES.map((name) => row(name, entries.get(name))),
    '',
    ...BENCH_NAMES.flatMap((name) => section(name, entries.get(name))),
  ].join('\n')
}

function row(name: BenchName, entry: Entry | undefined): string {
  const { title } = BENCHES[name]
  const cells = [`[${title}](#${anchorOf(title)})`, ...(entry ? cellsOf(entry) : ['not run', '', '', ''])]
  return `| ${cells.join(' | ')} |`
}

function cellsOf(entry: Entry): readonly string[] {
  if (entry.ours === null) return [`**not measured**: ${cell(entry.why)}`, '', '', '']
  const { ours, unit, ratio, aims } = entry
  const missed = aims.filter(({ isMet }) => !isMet)
  return [
    `${count(ours)} ${unit}`,
    best(entry),
    ratio === null ? '' : `${ratio}`,
    missed.length > 0 ? `**${missed.length} missed**` : aims.length > 0 ? 'met' : '',
  ]
}

function best({ peers, ratios, ratio }: Measured): string {
  const name = Object.keys(peers).find((peer) => ratios[peer] === ratio)
  return name === undefined ? '' : `${count(peers[name] ?? Number.NaN)} (${cell(name)})`
}

function section(name: BenchName, entry: Entry | undefined): readonly string[] {
  const { title } = BENCHES[name]
  if (!entry) return []
  const when = `Measured in ${Math.round(entry.seconds)} s.`
  const load =
    entry.loadBefore > BUSY_LOAD
      ? [
          ` **The machine was busy**: ${entry.loadBefore.toFixed(1)} programs wanted a core in the minute before.`,
        ]
      : []
  const around = `${when}${load.join('')}`
  if (entry.ours === null) return [`## ${title}`, '', `Not measured: ${cell(entry.why)}. ${around}`, '']
  const { what, unit, ours, peers, ratios, details, table, aims, how } = entry
  const others = Object.entries(peers)
  return [
    `## ${title}`,
    '',
    `${cell(how)} ${around}`,
    '',
    ...(others.length === 0
      ? [`**${cell(what)}: ${count(ours)} ${unit}**`]
      : tableOf(
          [cell(what), unit, 'times better'],
          [
            ['**Headroom**', `**${count(ours)}**`, ''],
            ...others.map(([peer, value]) => [cell(peer), count(value), `${ratios[peer]}`]),
          ],
        )),
    '',
    ...(table
      ? [
          ...tableOf(
            table.columns.map(cell),
            table.rows.map((cells) => cells.map(cell)),
          ),
          '',
        ]
      : []),
    ...Object.entries(details).map(([label, value]) => `- ${cell(label)}: ${detail(value)}`),
    ...aims.map((aim) => `- aim: ${cell(aim.what)}: ${aim.isMet ? 'met' : '**missed**'}`),
    '',
  ]
}

function tableOf(columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

function detail(value: number | string): string {
  return typeof value === 'number' ? count(value) : cell(value)
}

function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 4 })
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll(/\s+/g, ' ')
}
