/**
 * Measures a desk: `npm run desk-proof -- [--failures] [--minutes 10] [--seed N] [--json FILE]`.
 *
 * Three Headrooms and a simulator run on one machine, with twelve programs. One member is killed and one is
 * frozen. A fourth Headroom with its own key runs the same programs without a desk. Prints how exact the
 * desk's numbers were, compared with the service's own counts.
 *
 * With `--failures`, a part of the desk fails each minute for 30 minutes, while the programs want more than
 * the quotas give. Prints what the desk's queue did wrong, compared with the service's own counts.
 *
 * Exits with 1 if an aim is missed, and with 2 if a flag is wrong or there is no NATS server.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BUILT } from '../desk-machines/desk-machine.ts'
import { getNatsServer } from '../desk-server/get-nats-server.ts'
import { failuresProof } from './desk-failures-proof.ts'
import { deskProof } from './desk-proof.ts'

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      failures: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
    },
  })
  const [minutes, seed] = [Number(values.minutes ?? (values.failures ? 30 : 10)), Number(values.seed)]
  const say = (line: string) =>
    void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
  if (!(minutes >= 1)) {
    say('--minutes takes a number from 1')
    return 2
  }
  const nats = await getNatsServer(say)
  if (nats === undefined) return 2
  // Builds the app if necessary, so that the machines start at once.
  spawnSync(process.execPath, [BUILT, '--version'])
  const { figures, aims } = await (values.failures ? failuresProof : deskProof)({ minutes, seed, nats, say })
  const json = `${JSON.stringify({ minutes, seed, figures, aims }, null, 2)}\n`
  if (values.json !== undefined) writeFileSync(values.json, json)
  const lines = [
    ...Object.entries(figures).map(([what, value]) => `${what}: ${value}`),
    ...aims.map(({ what, isMet }) => `${isMet ? 'met' : 'MISSED'}: ${what}`),
  ]
  process.stdout.write(`${json}${lines.join('\n')}\n`)
  return aims.every(({ isMet }) => isMet) ? 0 : 1
}

process.exitCode = await main()
