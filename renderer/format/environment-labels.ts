import type { Environment } from '../../app/contract/snapshot.ts'

export const ENVIRONMENT_LABELS: Readonly<Record<Environment, string>> = {
  live: 'LIVE',
  sim: 'SIM',
  simulator: 'SIMULATOR',
  custom: 'CUSTOM',
}
