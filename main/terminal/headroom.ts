import { fileURLToPath } from 'node:url'
import { createFilesPrivately } from '../data/private-files.ts'
import { exitWithin } from '../ports/node-clock.ts'
import { findAppFolder } from './app-folder.ts'
import { nodeTerminal } from './node-terminal.ts'
import { runProgram } from './program.ts'
import { realCommands } from './real-commands.ts'

/** The `headroom` command. `main/launch.js` imports it once Node is new enough and the build is there. */

/** How long what is left over, as a socket in its last moments, may keep the process after the command ended. */
const LINGER_MS = 500

createFilesPrivately()
const terminal = nodeTerminal()
const app = findAppFolder(fileURLToPath(import.meta.url))
process.exitCode = await runProgram(process.argv.slice(2), {
  version: app.version,
  commands: realCommands(terminal, app),
  out: (text) => void process.stdout.write(text),
  error: terminal.error,
})
exitWithin(LINGER_MS)
