#![no_std]
#![no_main]

sizes::alone!(sizes::bucket);
