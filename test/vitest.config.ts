import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './longest-first.ts'
import { LAW_FILES, part, THOROUGH_FILES } from './thorough.ts'

const LEFT_OUT = ['e2e/**', 'node_modules/**', ...(part() === 'quick' ? THOROUGH_FILES : [])]
const INCLUDED = part() === 'thorough' ? [...THOROUGH_FILES, ...LAW_FILES] : ['**/*.test.{ts,tsx}']
/** Pure functions and components, whose tests leave nothing behind for the next file. */
const PURE = ['app/**/*.test.ts', 'renderer/**/*.test.{ts,tsx}']

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // One more worker than cores, because tests spend a third of the time waiting for other processes.
    maxWorkers: 3,
    // For the processes that tests start. Otherwise each would need half a second of a core to compile the
    // sources again.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)),
    },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: INCLUDED,
          exclude: part() === 'thorough' ? LEFT_OUT : [...LEFT_OUT, ...PURE],
        },
      },
      // A separate process with its modules for each file would take longer than most of these files.
      ...(part() === 'thorough'
        ? []
        : [
            {
              extends: true as const,
              test: { name: 'shared', include: PURE, exclude: LEFT_OUT, isolate: false },
            },
          ]),
    ],
  },
})
