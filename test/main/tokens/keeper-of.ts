import { Redactor } from '../../../main/ports/redactor.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { type KeeperDeps, TokenKeeper } from '../../../main/tokens/keeper.ts'
import { TokenStore } from '../../../main/tokens/token-store.ts'
import type { VaultTokens } from '../../../main/vault/vault.ts'

export const KEY = { authUrl: 'https://auth.test', clientId: 'key-id' }

/**
 * A keeper of tokens in memory or in a vault, with the app's own schedule and with listeners that do nothing.
 */
export function keeperOf(
  store: TokenStore | VaultTokens,
  ports: Pick<KeeperDeps, 'http' | 'clock'> & Partial<KeeperDeps>,
  key: ConstructorParameters<typeof TokenKeeper>[0] = KEY,
): TokenKeeper {
  return new TokenKeeper(key, store instanceof TokenStore ? store : TokenStore.stored(store), {
    secrets: new Redactor(),
    random: { next: () => 0.5 },
    timeline: new Timeline(ports.clock),
    changed: () => {},
    event: () => {},
    reached: () => {},
    ...ports,
  })
}
