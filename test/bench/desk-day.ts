import { type QueueDay, queueDay } from '../app/desk/queue-day.ts'
import { benchFlags, tell } from './result.ts'

/**
 * How much of a quota 25 programs on five machines use in a trading day, and how many 429s they get, with and
 * without a desk: `node test/bench/desk-day.ts [--json]`. In virtual time. Exits with 1 if an
 * aim is missed.
 */
benchFlags({})
const HOUR_MS = 3_600_000
const AIMS = { calm: 99.8, killed: 99.5 } as const

const calm = await queueDay()
const killed = await queueDay({ killEveryMs: HOUR_MS })
const one = await queueDay({ machines: 1, isDesk: false })
const apart = await queueDay({ isDesk: false })
const percent = ({ share }: QueueDay) => Number((100 * share).toFixed(2))
const faults = [calm, killed].flatMap(({ broken }) => broken)

tell({
  what: 'Five machines with five programs each, requests that the service accepted',
  unit: '% of what the quota gives',
  better: 'more',
  ours: percent(calm),
  peers: { 'one gateway for all programs': percent(one), 'five gateways without a desk': percent(apart) },
  details: { 'times the dispatcher was killed': killed.kills, 'laws broken': faults.join(', ') || 'none' },
  table: {
    columns: ['', 'accepted, %', 'answers with 429'],
    rows: (
      [
        ['**a desk**', calm],
        ['**a desk whose dispatcher is killed every hour**', killed],
        ['one gateway for all programs', one],
        ['five gateways without a desk', apart],
      ] as const
    ).map(([name, day]) => [name, String(percent(day)), String(day.refused)]),
  },
  aims: [
    { what: `at least ${AIMS.calm} %, no avoidable 429`, isMet: isGood(calm, AIMS.calm) },
    {
      what: `at least ${AIMS.killed} %, no avoidable 429, with the dispatcher killed every hour`,
      isMet: isGood(killed, AIMS.killed),
    },
  ],
  how: 'A trading day of 6.5 hours in virtual time, with one quota of 250 in 300 s. The programs always want more than it refills.',
})

function isGood(day: QueueDay, least: number): boolean {
  return percent(day) >= least && day.avoidable === 0 && day.broken.length === 0
}
