import { contextBridge, ipcRenderer } from 'electron'
import { type AppContract, contract } from '../../../app/contract/contract.ts'
import { bridge } from './bridge.ts'
import { ACKNOWLEDGE_CHANNEL } from './paced-pushes.ts'

const SNAPSHOTS: keyof AppContract = 'snapshotChanged'

contextBridge.exposeInMainWorld('headroom', bridge(contract, ipcRenderer))
// Acknowledges snapshots here and not in the page, because the page may have no listener.
ipcRenderer.on(SNAPSHOTS, () => void ipcRenderer.invoke(ACKNOWLEDGE_CHANNEL))
