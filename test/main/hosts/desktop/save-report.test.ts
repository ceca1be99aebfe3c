import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inDownloads, type SaveReportDeps, saveReport } from '../../../../main/hosts/desktop/save-report.ts'
import { proves } from '../../../proof/proves.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'

function reporting(filePath: string) {
  const said: unknown[][] = []
  const saying = (name: string, answer?: unknown) => (options: unknown) => {
    said.push([name, options])
    return answer
  }
  const deps = {
    electron: {
      app: { getPath: () => '/home/me/Downloads' },
      dialog: {
        showSaveDialog: saying('showSaveDialog', Promise.resolve({ canceled: false, filePath })),
        showMessageBox: saying('showMessageBox', Promise.resolve({ response: 0 })),
        showErrorBox: saying('showErrorBox'),
      },
    },
    version: '1',
    dataFolder: '/nowhere',
    monitor: { profiles: () => [] },
    state: () => ({}),
    wallMs: () => Date.UTC(2026, 10, 22),
    log: { note: (line: string) => said.push(['log', line]) },
  }
  return { said, done: saveReport(deps as unknown as SaveReportDeps) }
}

test('a report suggests a full path in the downloads folder, and the dialog has a title', async () => {
  const file = join(temporaryFolder(), 'report.txt')
  const { said, done } = reporting(file)
  await done
  expect(said).toEqual([
    [
      'showSaveDialog',
      expect.objectContaining({
        title: 'Save a report without secrets',
        defaultPath: '/home/me/Downloads/headroom-report-2026-11-22.txt',
      }),
    ],
  ])
  expect(readFileSync(file, 'utf8')).toContain('version 1')
})

test('an account without a downloads folder gets its home folder as suggestion', () => {
  const getPath = () => {
    throw new Error("Failed to get 'downloads' path")
  }
  expect(inDownloads({ getPath }, 'a.csv')).toBe(join(homedir(), 'a.csv'))
})

test('a report that cannot be written is reported without blocking', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'report.txt'))
  const { said, done } = reporting(join(folder, 'report.txt'))
  await done
  expect(said.slice(1)).toEqual([
    ['log', 'saving the report failed'],
    ['showMessageBox', expect.objectContaining({ type: 'error', detail: expect.stringMatching(/folder/) })],
  ])
  proves('W9', { level: 1, cases: 1 })
})

test('nothing in the desktop host calls a function that blocks the main process', () => {
  const folder = new URL('../../../../main/hosts/desktop/', import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(sources.length).toBeGreaterThan(30)
  const blocking = /\b(?:showErrorBox|show\w+Sync|(?:exec|execFile|spawn)Sync|Atomics\.wait)\b/
  expect(sources.filter((name) => blocking.test(readFileSync(new URL(name, folder), 'utf8')))).toEqual([])
  proves('W9', { level: 1, cases: sources.length })
})
