/**
 * Stryker runs the tests in a worker thread, in which setting the umask throws. Tests there rely on explicit
 * file modes.
 */
process.umask = () => 0o022
