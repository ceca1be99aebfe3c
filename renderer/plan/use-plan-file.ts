import { unanswered } from '../hooks/use-asked.ts'
import { type ChangeDraft, fileOpened } from '../state/plan-draft.ts'
import { useParts } from '../state/window-parts.ts'

const MAX_NAME = 60

/**
 * Opens a plan's file in place of the draft. An invalid file changes nothing, and a notice names the wrong
 * member.
 */
export function usePlanFile(change: ChangeDraft): (file: File) => Promise<void> {
  const { view } = useParts()
  return async (file) => {
    const name = file.name.replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_NAME)
    const say = (line: string) => view.setState({ notice: `${name}: ${line}` })
    try {
      // The code that checks a file is a sixth of the window's script, so it is loaded with the first file.
      const { MAX_PLAN_FILE_BYTES, readPlan } = await import('../../app/plan/plan-file.ts')
      const read = readPlan(file.size > MAX_PLAN_FILE_BYTES ? undefined : await file.text())
      if (read.kind === 'wrong') return say(`${read.line}. The plan is unchanged.`)
      change((draft) => fileOpened(draft, read.plan))
      say('opened. Others stay as observed now.')
    } catch (error) {
      // A folder, a missing file, or a host that does not respond.
      say(unanswered(error))
    }
  }
}
