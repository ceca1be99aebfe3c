/** Imported first by tests of words that name a moment: they are in the person's own time zone. */
process.env['TZ'] = 'UTC'
