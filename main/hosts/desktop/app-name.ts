/**
 * The name of the app in menus, dialogs and the window class, and of its entry in the system's keyring, which holds the
 * key that seals tokens. Equal to `productName` in package.json and electron-builder.yml.
 */
export const APP_NAME = 'Headroom'
