import { ROTATION } from '../../../app/tokens/after-refresh.ts'
import { REFRESH_SCHEDULE } from '../../../app/tokens/schedule.ts'
import { Timeline } from '../../../main/monitor/timeline.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { type KeeperDeps, TokenKeeper } from '../../../main/tokens/keeper.ts'

export const KEY = { authUrl: 'https://auth.test', clientId: 'key-id' }

/** A keeper with the app's own schedule, and with listeners that do not listen. */
export function keeperOf(
  store: ConstructorParameters<typeof TokenKeeper>[1],
  ports: Pick<KeeperDeps, 'http' | 'clock'> & Partial<KeeperDeps>,
  key: ConstructorParameters<typeof TokenKeeper>[0] = KEY,
): TokenKeeper {
  return new TokenKeeper(
    key,
    store,
    {
      secrets: new Redactor(),
      random: { next: () => 0.5 },
      timeline: new Timeline(ports.clock),
      changed: () => {},
      event: () => {},
      reached: () => {},
      ...ports,
    },
    { schedule: REFRESH_SCHEDULE, ...ROTATION },
  )
}
