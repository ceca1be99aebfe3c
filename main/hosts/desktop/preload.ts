import { contextBridge, ipcRenderer } from 'electron'
import { type AppContract, contract } from '../../../app/contract/contract.ts'
import { bridge } from './bridge.ts'
import { HEARD_CHANNEL } from './paced-pushes.ts'

const SNAPSHOTS: keyof AppContract = 'snapshotChanged'

contextBridge.exposeInMainWorld('headroom', bridge(contract, ipcRenderer))
// This is in the preload script so that it also works while the page has no listener.
ipcRenderer.on(SNAPSHOTS, () => void ipcRenderer.invoke(HEARD_CHANNEL))
