import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ControlAnswer, type ControlRequest, failedAnswer } from '../../control/protocol.ts'
import { NO_USE } from '../../gateway/program-summary.ts'
import { ONLY_KEY, Programs } from '../../gateway/programs.ts'
import type { Clock, RandomBytes } from '../../ports/ports.ts'
import { openDataFolder } from '../../storage/data-folder.ts'
import { lockDataFolder } from '../../storage/lock.ts'

export type ProgramRequest =
  | Extract<ControlRequest, { do: 'gateway' | 'add-program' }>
  | { readonly do: 'cut-program'; readonly name: string }

export interface StoredProgramsPorts {
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  /** Called with one sentence if the stored programs cannot be read. */
  readonly problem: (sentence: string) => void
}

/** Error code for a folder that another Headroom is using. That Headroom might still be starting. */
export const FOLDER_BUSY = 'folder-busy'

const OFF = { state: 'off' } as const

/**
 * Adds, lists or revokes programs in a data folder that no app is using, with the same answers as the app.
 * The folder is locked during the call. The app serves the programs after its next start on the folder.
 *
 * The keys are sealed, so it is unknown which are connected. A program without `profile` uses the only key.
 */
export function answerStored(
  dataFolder: string,
  request: ProgramRequest,
  { clock, randomBytes, problem }: StoredProgramsPorts,
): ControlAnswer {
  const isThere = existsSync(join(dataFolder, 'gateway.json'))
  if (!isThere && request.do === 'cut-program') return failedAnswer(noneNamed(request.name))
  if (!isThere && request.do === 'gateway') return { ok: true, gateway: OFF, programs: [] }
  const opening = openDataFolder(dataFolder)
  if (opening.kind === 'unusable') return failedAnswer(opening.line)
  const lock = lockDataFolder(opening.path, { pid: process.pid, host: 'terminal', isBrief: true })
  if (lock.kind === 'busy') return { ok: false, code: FOLDER_BUSY, message: lock.line }
  if (lock.kind === 'unusable') return failedAnswer(lock.line)
  try {
    return answer(new Programs({ dataFolder: opening.path, clock, randomBytes, problem }), request)
  } finally {
    lock.release()
  }
}

function answer(programs: Programs, request: ProgramRequest): ControlAnswer {
  switch (request.do) {
    case 'gateway':
      return {
        ok: true,
        gateway: OFF,
        programs: programs.list().map((program) => ({ ...program, ...NO_USE })),
      }
    case 'add-program': {
      const { do: _, profile = ONLY_KEY, ...program } = request
      const added = programs.add({ ...program, profile })
      return added.ok
        ? { ok: true, key: added.key, program: added.program.name, gateway: OFF }
        : failedAnswer(added.why)
    }
    case 'cut-program': {
      const cut = programs.cut(request.name)
      if (cut === undefined) return failedAnswer(noneNamed(request.name))
      return cut.saved.ok
        ? { ok: true, cut: request.name }
        : failedAnswer(`${request.name} wasn't cut off: saving failed (${cut.saved.why})`)
    }
  }
}

const noneNamed = (name: string): string => `no program is named ${name}`
