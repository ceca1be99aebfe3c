/**
 * The first start, looked at every ten seconds: `npm run first-start -- [--breaks] [--minutes N] [--every
 * SECONDS]`.
 *
 * Prints each sentence of the window that the built-in simulator's own count contradicts, and ends with 1 if
 * there is one. In real time; half a minute of it is in `npm test`. `--breaks`: two saved keys with the
 * default settings instead, and a host, a token, the streams or the disk breaks every three minutes.
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
