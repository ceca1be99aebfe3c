import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FAULTS } from './faults.ts'
import { isBroken } from './judge.ts'
import { storm } from './storm.ts'
import { slotLine, stormTable } from './table.ts'

/**
 * Causes a fault every minute on a gateway with the programs of two machines, in real time: `npm run storm --
 * [--minutes 60] [--only NAME,NAME] [--seed N] [--json FILE]`. Exits with 1 if a rule is broken, and with 2
 * if a flag is wrong.
 */
const LAUNCH = fileURLToPath(new URL('../../main/launch.js', import.meta.url))

function flags() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      only: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
    },
  })
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
  const names = values.only?.split(',').map((name) => name.trim())
  const unknown = names?.find((name) => !FAULTS.some((fault) => fault.name === name))
  if (unknown !== undefined) {
    const known = FAULTS.map(({ name }) => name).join(', ')
    return `--only: no fault is called ${unknown}; choose of ${known}`
  }
  if (!Number.isInteger(minutes) || minutes < 1) return '--minutes takes a whole number above 0'
  if (!Number.isInteger(seed)) return '--seed takes a whole number'
  return {
    minutes,
    seed,
    json: values.json,
    faults: FAULTS.filter(({ name }) => names?.includes(name) ?? true),
  }
}

async function main(): Promise<number> {
  const asked = flags()
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n`)
    return 2
  }
  const { minutes, seed, faults, json } = asked
  const say = (line: string) =>
    void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
  // Builds the app if necessary, so that the gateway starts at once.
  spawnSync(process.execPath, [LAUNCH, '--version'])
  // Ends the storm properly. Otherwise a disk would stay mounted, and a suspended gateway would stay
  // suspended.
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => abort.abort())
  const { verdicts, skipped } = await storm({
    faults,
    slots: minutes,
    slotSeconds: 60,
    seed,
    say,
    signal: abort.signal,
    onSlot: (verdict) => say(slotLine(verdict)),
  })
  process.stdout.write(`${stormTable(verdicts)}\n${skipped.map((what) => `skipped: ${what}\n`).join('')}`)
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ seed, skipped, verdicts }, null, 2)}\n`)
  return verdicts.some(isBroken) ? 1 : 0
}

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error
  process.stderr.write('ended early, without a verdict\n')
  return 1
})
