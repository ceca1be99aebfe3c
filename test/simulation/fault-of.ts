import type { StoryEvent } from './story.ts'

/** The name of the fault that an event causes. `undefined` for a user's action and for a repair. */
export function faultOf(what: StoryEvent): string | undefined {
  switch (what.kind) {
    case 'fault-profile':
      if (what.faultProfile.offline) return 'offline'
      if (what.faultProfile.throttled > 0) return '429-storm'
      return what.faultProfile.lostAnswer > 0 ? 'rough-weather' : undefined
    case 'fault':
      return what.on === false ? undefined : what.name
    case 'disk':
      return what.health === 'ok' ? undefined : `disk-${what.health}`
    case 'sleep':
    case 'wall-jump':
    case 'traffic':
    case 'cut-streams':
    case 'expire-access':
    case 'quit':
      return what.kind
    // The fault is counted when the process dies, because the step may never be reached.
    case 'crash':
    case 'open-stream':
    case 'close-stream':
    case 'try-now':
    case 'sign-in':
    case 'revoke':
    case 'dismiss-alert':
      return undefined
  }
}
