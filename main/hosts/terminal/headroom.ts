import { fileURLToPath } from 'node:url'
import { exitWithin } from '../../ports/node-clock.ts'
import { createFilesPrivately } from '../../storage/private-files.ts'
import { findAppFolder } from '../app-folder.ts'
import { takenEnvironment, withSecretFiles } from '../secret-files.ts'
import { endAfterOutput, nodeTerminal } from './node-terminal.ts'
import { type Commands, runProgram } from './program.ts'
import { realCommands } from './real-commands.ts'
import { EXIT_PERSON_NEEDED } from './terminal.ts'

/**
 * The entry point of the `headroom` command. `main/launch.js` imports it after it has checked Node's version
 * and the build.
 */

/** How long open handles, such as closing sockets, may delay the exit. Milliseconds. */
const LINGER_MS = 500

createFilesPrivately()
const { environment, problem } = withSecretFiles(takenEnvironment(process.env))
const terminal = nodeTerminal(process, environment)
const app = findAppFolder(fileURLToPath(import.meta.url))
const commands = realCommands(terminal, app)
process.exitCode = await runProgram(process.argv.slice(2), {
  version: app.version,
  commands: problem === undefined ? commands : { ...commands, ...allRefusing(problem) },
  out: (text) => void process.stdout.write(text),
  error: terminal.error,
})
await endAfterOutput(terminal, process, () => exitWithin(LINGER_MS))

/** All commands that use secrets. Each fails with `line`, because a secret could not be read. */
function allRefusing(line: string): Omit<Commands, 'status' | 'export' | 'plan' | 'program' | 'orders'> {
  const refuse = async () => {
    terminal.error(line)
    return EXIT_PERSON_NEEDED
  }
  return {
    ...{ start: refuse, watch: refuse, simulate: refuse, revoke: refuse, desk: refuse },
    // `on`, `off` and `status` need no secret here. They are sent to the running app, which already has the
    // secrets.
    gateway: (turn, flags) => (turn === undefined ? refuse() : commands.gateway(turn, flags)),
  }
}
