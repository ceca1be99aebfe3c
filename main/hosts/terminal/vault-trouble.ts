import type { VaultStatus } from '../../vault/vault-handle.ts'

/** Describes why HEADROOM_PASSPHRASE does not open the keys of a folder, and what a person can do. */
export function vaultTrouble(folder: string, status: Exclude<VaultStatus, { state: 'ok' }>): string {
  switch (status.state) {
    case 'key-changed':
      if (status.sealedBy === 'desktop') {
        return `the keys in ${folder} cannot be opened with HEADROOM_PASSPHRASE: ${status.why}; open them on the desktop, or name another folder with --data; nothing was changed`
      }
      return `HEADROOM_PASSPHRASE does not open the keys in ${folder}: set it to the passphrase that they were sealed with, or name another folder with --data; nothing was changed`
    case 'record-corrupt':
      return `a key in ${folder} is damaged (${status.why}) and was set aside; a refresh token in HEADROOM_REFRESH_TOKEN takes its place`
    case 'unreadable':
      return status.line
    case 'no-passphrase':
    case 'memory':
      return `the keys in ${folder} need HEADROOM_PASSPHRASE to be opened`
    case 'waiting':
    case 'unavailable':
    case 'unprotected':
      return `the keys in ${folder} cannot be opened: ${status.why}; nothing was changed`
  }
}
