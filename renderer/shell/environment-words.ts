import type { Environment } from '../../app/contract/snapshot.ts'

export const ENVIRONMENT_WORDS: Readonly<Record<Environment, string>> = {
  live: 'LIVE',
  sim: 'SIM',
  simulator: 'SIMULATOR',
  custom: 'OTHER',
}
