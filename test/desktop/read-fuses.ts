import { fusesOf, readBuilderConfig } from './builder-config.ts'

/**
 * Checks that the fuses of a packaged build are those of electron-builder.yml: `node
 * test/desktop/read-fuses.ts EXECUTABLE`.
 */
const [executable] = process.argv.slice(2)
if (executable === undefined) throw new Error('which executable?')

const found = await fusesOf(executable)
const { resetAdHocDarwinSignature: _, ...fuses } = readBuilderConfig().electronFuses
for (const [name, wanted] of Object.entries(fuses)) {
  const fits = found[name] === wanted
  process.stdout.write(`${fits ? 'ok   ' : 'WRONG'} ${name}: ${String(found[name])}\n`)
  if (!fits) process.exitCode = 1
}
