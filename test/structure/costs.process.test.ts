import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { Workshop } from '../sabotage/workshop.ts'
import { filesOf, TRIALS } from './costs.ts'

const recorded: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(projectFolder, 'test/structure/figures.json'), 'utf8'),
)

test('a new entry costs no more product files than recorded, as far as the compiler names them', async () => {
  const workshop = new Workshop()
  onTestFinished(() => workshop.remove())
  expect(await workshop.complaints()).toEqual(new Set())
  for (const trial of TRIALS) {
    const files = await filesOf(trial, workshop)
    const most = recorded[`files of ${trial.name}`] ?? -1
    expect(files.length, `${trial.name} costs ${files.join(', ')}`).toBeLessThanOrEqual(most)
  }
}, 600_000)
