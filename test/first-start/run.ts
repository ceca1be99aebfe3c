/**
 * Compares a first start with the simulator's counts every ten seconds of real time: `npm run first-start --
 * [--breaks] [--minutes N] [--every SECONDS]`.
 *
 * Prints each statement of the window that contradicts these counts, and exits with 1 if there is one. `npm
 * test` runs half a minute of it. `--breaks` uses two saved keys with the default settings instead. Every
 * three minutes, a host, a token, the streams or the disk breaks.
 */
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { chromiumArgs, findChromium } from '../browser/chromium.ts'
import type { Contradiction } from './look.ts'
import { watchFirstStart } from './watch-first-start.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    every: { type: 'string', default: '10' },
    breaks: { type: 'boolean', default: false },
  },
})
const executablePath = findChromium()
if (executablePath === undefined) throw new Error('no Chromium here: npm test gets one')
const browser = await chromium.launch({ executablePath, args: chromiumArgs() })
const line = ({ atMs, rule, said, counted }: Contradiction) =>
  `${new Date(atMs).toISOString()} ${rule}: "${said}", counted: ${counted}\n`
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const { looks, contradictions, shares } = await watchFirstStart({
    page,
    seconds: Number(values.minutes) * 60,
    everySeconds: Number(values.every),
    breaks: values.breaks,
    found: (contradiction) => void process.stdout.write(line(contradiction)),
  })
  process.stdout.write(`${looks} looks, ${contradictions.length} contradictions\n`)
  const { looks: of, level, others } = shares
  const percent = (right: number) => `${((100 * right) / Math.max(1, of)).toFixed(1)} %`
  process.stdout.write(
    `${of} looks at rows: level right in ${percent(level)}, others’ rate in ${percent(others)}\n`,
  )
  if (contradictions.length > 0) process.exitCode = 1
} finally {
  await browser.close()
}
