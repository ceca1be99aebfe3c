/** The urgency of a program's requests, highest first: each class leaves more of a bucket to those before it. */
export const PROGRAM_CLASSES = ['critical', 'normal', 'background'] as const
export type ProgramClass = (typeof PROGRAM_CLASSES)[number]

/** The port of the gateway unless a person chooses another one. */
export const DEFAULT_GATEWAY_PORT = 4791

/** The default share of a quota that normal programs leave to critical ones, and background programs twice. */
export const DEFAULT_RESERVE_SHARE = 0.06

/** The limits of what a person enters about programs. */
export const PROGRAM_LIMITS = { programs: 64, name: 40, weight: { least: 0.01, most: 100 } } as const

/** How long a paused program is answered with 429, in minutes. */
export const PAUSE_MINUTES = 5

/** A program's name: letters, digits, and a few signs between them, for it stands in tables and labels. */
export const PROGRAM_NAME: RegExp = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u
