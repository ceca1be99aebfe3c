import { contextBridge, ipcRenderer } from 'electron'
import { contract } from '../../app/contract/contract.ts'
import { bridge } from './bridge.ts'

contextBridge.exposeInMainWorld('headroom', bridge(contract, ipcRenderer))
