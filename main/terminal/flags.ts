import type { StreamRequest } from '../../app/service/streams.ts'
import type { ProbeSettings } from '../profile.ts'

/** What each command is given, after every flag has been parsed. */

export interface StartFlags {
  readonly host: 'auto' | 'desktop' | 'browser'
  readonly port: number
  readonly open: boolean
  readonly data?: string
  readonly simulate?: true
}

export interface ServiceFlags {
  readonly authUrl?: string
  readonly baseUrl?: string
  readonly clientId?: string
}

export interface WatchFlags extends ServiceFlags {
  readonly probe?: ProbeSettings
  readonly stream?: readonly StreamRequest[]
  /** Seconds. */
  readonly for?: number
  readonly json?: true
}

export interface RevokeFlags extends ServiceFlags {
  readonly yes?: true
}

export interface SimulateFlags {
  readonly port: number
  readonly clientId: string
  readonly clientSecret?: string
  readonly refreshToken: string
  readonly keys: 'default' | 'rotating'
  readonly refreshExpiry: number
  readonly rotationOverlap: number
  readonly absoluteLifetime: number
  readonly accessLifetime: number
  readonly table: 'current' | 'earlier'
  readonly window: 'rolling' | 'fixed'
  readonly errors: 'current' | 'legacy'
  readonly revokeField: 'token' | 'refresh_token' | 'either'
  readonly heartbeat: number
  readonly traffic?: Readonly<Record<string, number>>
  readonly streamRate: number
  readonly fault?: readonly string[]
}
