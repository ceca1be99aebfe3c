/**
 * The pictures of the glance test: `npm run glance-test [-- --only NAME,NAME] [--to FOLDER]`.
 *
 * Creates twelve situations on real processes. For each, it writes a screenshot, the simulator's own counts
 * at that time, and the eight questions to `test-results/glance-test`. People who do not know the product
 * answer the questions from the pictures. Their answers are compared with the counts by hand.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import { BUILT_IN_OPTIONS, type SimulatorFlags } from '../../main/simulator/options.ts'
import { chromiumArgs, findChromium } from '../browser/chromium.ts'
import { BadDay, type DayOptions, PASSPHRASE } from '../e2e/bad-day.ts'
import { firstStart } from '../first-start/stage.ts'
import { readTruth } from '../first-start/truth.ts'
import { smallDisk } from '../storm/small-disk.ts'

/** The category in the questions. It changes most in every situation. */
const ASKED = 'Positions'

const QUESTIONS = [
  'Which quota is in the worst state, and why?',
  `Can I send 20 calls of ${ASKED} right now?`,
  `At what pace can I go on calling ${ASKED}?`,
  `Who uses ${ASKED}?`,
  'When do I have to sign in again?',
  'Are all streams all right?',
  'How many stream slots are free?',
  'What should I do now?',
]

const HOW = `Answer from the picture alone. If the screen says that it does not know something, "the screen says that
it is not known" is an answer. If the screen leaves it open or contradicts itself, answer "unclear".
`

const CONTROL = 'control-of-a-glance-test'
const STREAMS = [
  { kind: 'positions', target: 'SIM1001', options: {} },
  { kind: 'orders', target: 'SIM1001', options: {} },
  { kind: 'quotes', target: 'MSFT,AAPL', options: {} },
] as const
const CALM = { Accounts: 0.2, Positions: 0.3, 'Quote Snapshot': 0.2 }

interface Situation {
  readonly name: string
  readonly options?: Partial<SimulatorFlags>
  readonly key?: DayOptions
  readonly programs?: string
  /** Seconds from the first number to the cause. */
  readonly calmSeconds?: number
  /** Causes the situation. Everything that must be ended later goes into `ends`. */
  readonly cause?: (day: BadDay, ends: (() => void)[]) => unknown
  /** Seconds from the cause to the picture. */
  readonly seconds: number
}

/** Requests of a program behind the gateway, at an even pace, until the returned function is called. */
function calling(day: BadDay, key: string, path: string, perSecond: number): () => void {
  const timer = setInterval(() => {
    void fetch(`${day.gateway}${path}`, { headers: { authorization: `Bearer ${key}` } }).then(
      (answer) => answer.arrayBuffer(),
      () => {},
    )
  }, 1000 / perSecond)
  return () => clearInterval(timer)
}

const POSITIONS = '/v3/brokerage/accounts/SIM1001/positions'

const SITUATIONS: readonly Situation[] = [
  {
    name: 'hosts-away',
    cause: (day) => Promise.all([day.resources.leave(), day.signIn.leave()]),
    seconds: 60,
  },
  {
    name: 'sign-in-host-away',
    options: { accessLifetimeSeconds: 120 },
    cause: (day) => day.signIn.leave(),
    seconds: 150,
  },
  { name: 'token-rejected', cause: (day) => day.simulator.faults.set('resources-401', true), seconds: 60 },
  { name: 'streams-silent', cause: (day) => day.simulator.faults.set('silent-stream', true), seconds: 60 },
  {
    name: 'others-storm',
    options: { alreadySpent: { Positions: 200 } },
    cause: (day) => day.simulator.service.setTraffic({ ...CALM, Positions: 20 }),
    seconds: 90,
  },
  { name: 'disk-full', seconds: 45 },
  {
    name: 'busy-hour',
    options: {
      ...BUILT_IN_OPTIONS,
      startedSecondsAgo: 3600,
      traffic: { ...CALM, Accounts: 0.8, Positions: 0.9 },
    },
    seconds: 240,
  },
  { name: 'first-15', seconds: 15 },
  { name: 'first-60', seconds: 60 },
  {
    name: 'queue',
    options: { alreadySpent: { Positions: 280 } },
    programs: 'bot:critical=key-of-a-glance-bot,scanner=key-of-a-glance-scanner',
    calmSeconds: 10,
    cause: (day, ends) => {
      ends.push(calling(day, 'key-of-a-glance-scanner', POSITIONS, 2))
      ends.push(calling(day, 'key-of-a-glance-bot', POSITIONS, 0.3))
    },
    seconds: 75,
  },
  { name: 'three-keys', key: { spares: 2 }, seconds: 60 },
  { name: 'all-well', seconds: 120 },
]

async function picture(
  page: Page,
  name: string,
  origin: string,
  secret: string,
  folder: string,
): Promise<void> {
  const truth = await readTruth(origin, secret)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  const said = await page.getByTestId('verdict-headline').innerText()
  const { ledger, ...counts } = truth
  const since = counts.at - 60_000
  const lastMinute = ledger.filter(({ atMs }) => atMs >= since).length
  const line = { name, said, ownRequestsOfTheLastMinute: lastMinute, ...counts }
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(line, null, 1)}\n`)
  process.stdout.write(`${name}: ${said}\n`)
}

async function start(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' })
  return context.newPage()
}

const hasNumber = (page: Page) =>
  page.locator('tr[data-category="Accounts"]:not([data-source="default"])').waitFor({ timeout: 60_000 })

async function firstOf(browser: Browser, { name, seconds }: Situation, folder: string): Promise<void> {
  const stage = await firstStart()
  const page = await start(browser)
  try {
    await page.goto(stage.url)
    await page.waitForTimeout(seconds * 1000)
    await picture(page, name, stage.origin, stage.secret, folder)
  } finally {
    await page.context().close()
    await stage.close()
  }
}

async function take(browser: Browser, one: Situation, folder: string): Promise<void> {
  if (one.name.startsWith('first-')) return firstOf(browser, one, folder)
  const { name, options = {}, key = {}, programs, calmSeconds = 60, cause, seconds } = one
  const disk = smallDisk(name === 'disk-full')
  if (name === 'disk-full' && disk.why !== undefined) throw new Error(disk.why)
  const day = await BadDay.prepare(
    { traffic: CALM, slotsElsewhere: { 'Option Chain Stream': 3 }, controlSecret: CONTROL, ...options },
    { folder: disk.folder, streams: STREAMS, ...key },
  )
  const page = await start(browser)
  const ends: (() => void)[] = []
  try {
    const environment = { HEADROOM_PASSPHRASE: PASSPHRASE, HEADROOM_GATEWAY_KEYS: programs ?? '' }
    await day.open(page, environment, programs === undefined ? [] : ['--gateway-port', '0'])
    await hasNumber(page)
    await page.waitForTimeout((cause || name === 'disk-full' ? calmSeconds : 0) * 1000)
    await cause?.(day, ends)
    if (name === 'disk-full') disk.fill()
    await page.waitForTimeout(seconds * 1000)
    await picture(page, name, day.simulator.origin, CONTROL, folder)
  } finally {
    for (const end of ends) end()
    await page.context().close()
    await day.close()
    disk.close()
  }
}

const { values } = parseArgs({ options: { only: { type: 'string' }, to: { type: 'string' } } })
const executablePath = findChromium()
if (executablePath === undefined) throw new Error('no Chromium here: npm test gets one')
const folder = values.to ?? fileURLToPath(new URL('../../test-results/glance-test', import.meta.url))
mkdirSync(folder, { recursive: true })
writeFileSync(
  join(folder, 'questions.txt'),
  [HOW, ...QUESTIONS.map((line, at) => `${at + 1}. ${line}\n`)].join(''),
)
const browser = await chromium.launch({ executablePath, args: chromiumArgs() })
try {
  const chosen = SITUATIONS.filter(
    ({ name }) => values.only === undefined || values.only.split(',').includes(name),
  )
  // Two at a time. More would slow down a small machine, and the pictures would show late numbers.
  const left = [...chosen]
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await take(browser, one, folder)
  }
  await Promise.all([worker(), worker()])
} finally {
  await browser.close()
}
