/**
 * What the app is called everywhere: in menus and dialogs, as a window's class, and as the entry of the system's keyring
 * that holds the key under which tokens are sealed. `productName` in package.json and in electron-builder.yml is the same.
 */
export const APP_NAME = 'Headroom'
