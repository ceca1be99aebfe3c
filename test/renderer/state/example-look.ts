import type { Look } from '../../../renderer/state/look.ts'
import { AS_DELIVERED } from '../../../renderer/state/row-groups.ts'

export const exampleLook = (changes: Partial<Look> = {}): Look => ({
  theme: 'system',
  density: 'auto',
  fullAs: 'clock',
  zone: 'local',
  followsWorst: false,
  rows: AS_DELIVERED,
  shortcuts: true,
  sounds: [],
  notifications: false,
  ...changes,
})
