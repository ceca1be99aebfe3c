import type { SimulatedService } from '../../main/simulator/simulated-service.ts'
import type { Machine } from './machine.ts'
import type { StoryEvent } from './story.ts'
import type { User } from './user.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { VirtualHttp } from './virtual-http.ts'

export interface Surroundings {
  readonly clock: VirtualClock
  readonly http: VirtualHttp
  readonly service: SimulatedService
  readonly machine: Machine
  readonly user: User
  readonly jumpWall: (ms: number) => void
}

/** Applies an event of the story at once. */
export function applyEvent(what: StoryEvent, on: Surroundings): void {
  const { clock, http, service, machine, user } = on
  switch (what.kind) {
    case 'fault-profile':
      http.setFaultProfile(what.faultProfile)
      return
    case 'fault':
      service.faults.set(what.name, what.on)
      return
    case 'sleep':
      clock.sleep(what.ms)
      machine.process.monitor.wake()
      return
    case 'wall-jump':
      on.jumpWall(what.ms)
      return
    case 'traffic':
      service.setTraffic(what.traffic)
      return
    case 'cut-streams':
      service.cutStreams('reset')
      return
    case 'expire-access':
      service.tokens.expireAccess(clock.worldMs())
      return
    case 'disk':
      machine.diskIs(what.health)
      return
    case 'crash':
      machine.crashAt(what.step, what.downMs)
      return
    case 'quit':
      machine.quit(what.downMs)
      return
    case 'open-stream':
    case 'close-stream':
    case 'try-now':
    case 'revoke':
    case 'sign-in':
    case 'dismiss-alert':
      if (machine.isUp) user.does(what)
  }
}
