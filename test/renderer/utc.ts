/** Tests of texts with times import this first, because such texts are in the person's own time zone. */
process.env['TZ'] = 'UTC'
