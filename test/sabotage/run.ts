import { parseArgs } from 'node:util'
import { SABOTAGES, type Sabotage } from './registry.ts'
import { Workshop } from './workshop.ts'

/**
 * `node test/sabotage/run.ts [--only T6] [--in main/tokens]`: breaks each promise on purpose and shows which assertion notices.
 *
 * A break that survives, does not type-check or turns its test red in any other way ends in exit 1.
 */
const { values } = parseArgs({ options: { only: { type: 'string' }, in: { type: 'string' } } })
const chosen = SABOTAGES.filter(
  ({ promise, file }) =>
    (values.only === undefined || promise === values.only) &&
    (values.in === undefined || file.startsWith(values.in)),
)

const workshop = new Workshop()
let bad = 0
try {
  const before = await workshop.complaints()
  const tests = [...new Set(chosen.map((sabotage) => sabotage.test))]
  for (const [test, run] of await workshop.tests(tests)) {
    if (run.kind !== 'green') report('not green before', test, run.kind === 'broken' ? run.why : run.said)
  }
  for (const sabotage of chosen) await apply(sabotage, before)
} finally {
  workshop.remove()
}
console.log(`${chosen.length - bad} of ${chosen.length} sabotages killed by an assertion`)
if (bad > 0 || chosen.length === 0) process.exitCode = 1

async function apply(sabotage: Sabotage, before: ReadonlySet<string>): Promise<void> {
  const name = `${sabotage.promise} ${sabotage.what}`
  const original = workshop.read(sabotage.file)
  const parts = original.split(sabotage.find)
  if (parts.length !== 2) {
    report('stale', name, `its text occurs ${parts.length - 1} times in ${sabotage.file}`)
    return
  }
  workshop.write(sabotage.file, parts.join(sabotage.replace))
  try {
    const complaint = [...(await workshop.complaints())].find((line) => !before.has(line))
    if (complaint !== undefined) {
      report('does not type-check', name, complaint)
      return
    }
    const run = await workshop.test(sabotage.test)
    switch (run.kind) {
      case 'red':
        console.log(`killed   ${name}\n         ${run.test}: ${run.said}`)
        break
      case 'green':
        report('survived', name, sabotage.test)
        break
      case 'unproved':
        report('not by an assertion', name, `${run.test}: ${run.said}`)
        break
      case 'broken':
        report('broke the test', name, run.why)
        break
    }
  } finally {
    workshop.write(sabotage.file, original)
  }
}

function report(how: string, name: string, why: string): void {
  bad += 1
  console.log(`${how.toUpperCase()}  ${name}\n         ${why}`)
}
