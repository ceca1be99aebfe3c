import type { PinOwner } from '../../../main/streams/pinned-streams.ts'

/** A key that outlives the process. */
export const owner = (id: string, more: Partial<PinOwner> = {}): PinOwner => ({
  id,
  environment: 'custom',
  authUrl: 'https://signin.test',
  baseUrl: 'https://api.test',
  clientId: 'the-key',
  isKept: () => true,
  ...more,
})
