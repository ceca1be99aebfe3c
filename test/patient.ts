/** For steps that take milliseconds. A busy machine may need this long. */
export const PATIENT = { timeout: 20_000, interval: 20 }
