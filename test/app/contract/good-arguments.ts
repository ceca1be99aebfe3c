import type { contract } from '../../../app/contract/contract.ts'

export type CommandName = {
  [K in keyof typeof contract]: (typeof contract)[K]['kind'] extends 'command' ? K : never
}[keyof typeof contract]

/**
 * Each command that takes an argument, with a valid argument. It has every required field and most of the
 * optional ones.
 */
export const GOOD_ARGUMENTS: Readonly<Partial<Record<CommandName, Record<string, unknown>>>> = {
  events: { after: 0 },
  history: { profile: 'p', category: 'Positions', fromMs: 0, toMs: 1, points: 300 },
  trends: { profile: 'p', fromMs: 0, toMs: 1, points: 32 },
  programHistory: { profile: 'p', category: 'Positions', fromMs: 0, toMs: 1, columns: 300 },
  recordedUses: { profile: 'p', fromMs: 0, toMs: 1 },
  openStream: { profile: 'p', kind: 'barcharts', target: 'MSFT', options: { interval: '5' }, replace: 's-1' },
  closeStream: { profile: 'p', stream: 's-1', inSeconds: 5 },
  keepStream: { profile: 'p', stream: 's-1' },
  restartStream: { profile: 'p', stream: 's-1' },
  pinStream: { profile: 'p', stream: 's-1', pinned: true },
  revoke: { profile: 'p' },
  tryNow: { profile: 'p' },
  checkNow: { profile: 'p', category: 'Positions' },
  rowDetails: { profile: 'p', category: 'Positions' },
  disconnect: { profile: 'p' },
  connect: { name: 'Mine', environment: 'live', clientId: 'id', refreshToken: 'r' },
  startSignIn: { name: 'Mine', environment: 'custom', clientId: 'id', authUrl: 'https://a.test' },
  signInAgain: { profile: 'p', extraScopes: ['Matrix'] },
  replaceToken: { profile: 'p', refreshToken: 'r' },
  correctSecret: { profile: 'p', clientSecret: 's' },
  cancelSignIn: { signIn: 's-1' },
  setVisible: { visible: true },
  endWindow: { window: 'w-1' },
  setGateway: { on: true, port: 4791 },
  addProgram: { name: 'My bot', class: 'critical', weight: 2, profile: 'p' },
  cutProgram: { name: 'My bot' },
  pauseProgram: { name: 'My bot' },
  resumeProgram: { name: 'My bot' },
  allowOrders: { profile: 'p', ending: 'zQ7x' },
  stopOrders: { profile: 'p' },
  dismissOrder: { id: '17' },
  orderJournal: { profile: 'p', fromMs: 0, toMs: 1 },
  setCheckForUpdates: { wanted: true },
  report: { profile: 'p', fromMs: 0, toMs: 1 },
  exportFile: { profile: 'p', fromMs: 0, toMs: 1, what: 'report-csv' },
  pastEvents: { profile: 'p', fromMs: 0, toMs: 1 },
  slotHistory: { profile: 'p', fromMs: 0, toMs: 1, category: 'Positions Stream' },
  setRetention: { rawMs: 3_600_000, rollupMs: 86_400_000 },
  dismissAlert: { id: 'a-1' },
  alertThresholds: { profile: 'p' },
  setAlertThreshold: { profile: 'p', category: 'Positions', below: 0.2 },
  setAlertPreferences: {
    snoozedUntil: 1,
    quietHours: { from: '22:00', to: '07:00' },
    urgentBypass: false,
  },
  setTimeZone: { zone: 'exchange' },
  keySettings: { profile: 'p' },
  setKeySettings: {
    profile: 'p',
    probesEnabled: false,
    budgetFraction: 0.02,
    symbol: 'MSFT',
    everySeconds: { Accounts: 30 },
    trialAfterStep: true,
    rotationMinutes: 30,
  },
}
