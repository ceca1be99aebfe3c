import type { VaultStatus } from '../../vault/vault-handle.ts'

/** Describes why HEADROOM_PASSPHRASE does not open the keys of a folder, and what a person can do. */
export function vaultTrouble(folder: string, status: Exclude<VaultStatus, { state: 'ok' }>): string {
  switch (status.state) {
    case 'key-changed':
      if (status.sealedBy === 'desktop') {
        return `HEADROOM_PASSPHRASE can't open the keys in ${folder}: ${status.why}; open them on the desktop, or choose another folder with --data; nothing was changed`
      }
      return `wrong HEADROOM_PASSPHRASE for the keys in ${folder}: set the right one, or choose another folder with --data; nothing was changed`
    case 'record-corrupt':
      return `a key in ${folder} is damaged (${status.why}) and was set aside; put a refresh token in HEADROOM_REFRESH_TOKEN to replace it`
    case 'unreadable':
      return status.line
    case 'no-passphrase':
    case 'memory':
      return `set HEADROOM_PASSPHRASE to open the keys in ${folder}`
    case 'waiting':
    case 'unavailable':
    case 'unprotected':
      return `can't open the keys in ${folder}: ${status.why}; nothing was changed`
  }
}
