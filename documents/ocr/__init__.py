"""Read the text of a page image: straighten it, recognise it, say how sure that is.

Pure: knows pictures, folders and languages, neither models nor settings. A `recognizer.Recognizer` is
made once and kept warm; it uses one thread where `OMP_THREAD_LIMIT=1` is set before it is imported.
Nothing is imported here: who only speaks of words and languages needs no engine.
"""
