/**
 * In a worker thread, where Stryker runs the tests, setting the process's mask throws; explicit modes are
 * what is tried.
 */
process.umask = () => 0o022
